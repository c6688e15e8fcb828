import { runExamples } from './examples-runs.ts';

runExamples(/^(?!sandbox|webhooks|batches|history|send)/);
