#!/usr/bin/env node
import './require-node.ts';
import './compile-cache.ts';
import { runPt } from '../entrypoints/cli/pt.ts';

void runPt();
