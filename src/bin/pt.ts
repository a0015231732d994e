#!/usr/bin/env node
import './require-node.ts';
import { runNotBuilt } from '../heads/cli/not-built.ts';

runNotBuilt('pt');
