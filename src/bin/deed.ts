#!/usr/bin/env node
import './require-node.ts';
import './compile-cache.ts';
import { runDeed } from '../entrypoints/cli/deed.ts';

void runDeed();
