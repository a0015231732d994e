#!/usr/bin/env node
import './require-node.ts';
import { runVybe } from '../heads/cli/vybe.ts';

void runVybe();
