import { runExamples } from './examples-runs.ts';

runExamples(/^(batches|history|send)/);
