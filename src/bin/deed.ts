#!/usr/bin/env node
import './require-node.ts';
import './compile-cache.ts';
import { runDeed } from '../heads/cli/deed.ts';

void runDeed();
