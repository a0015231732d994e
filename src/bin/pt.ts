#!/usr/bin/env node
import './require-node.ts';
import './compile-cache.ts';
import { runNotBuilt } from '../heads/cli/not-built.ts';

runNotBuilt('pt');
