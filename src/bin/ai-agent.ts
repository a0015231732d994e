#!/usr/bin/env node
import './require-node.ts';
import './compile-cache.ts';
import { runAiAgent } from '../entrypoints/cli/ai-agent.ts';

void runAiAgent();
