#!/usr/bin/env node
import './require-node.ts';
import './compile-cache.ts';
import { runVybe } from '../entrypoints/cli/vybe.ts';

void runVybe();
