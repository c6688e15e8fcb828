import { cancelBatch } from './cancel.ts';
import { deleteBatch } from './delete.ts';
import { listBatches } from './list.ts';
import { markRows } from './mark.ts';
import { reportBatch } from './report.ts';

export const batchesCommands = [listBatches, reportBatch, markRows, cancelBatch, deleteBatch];
