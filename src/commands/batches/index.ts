import { cancelBatch } from './cancel.ts';
import { deleteBatch } from './delete.ts';
import { listBatches } from './list.ts';
import { markRows } from './mark.ts';
import { reportBatch } from './report.ts';
import { resumeBatch } from './resume.ts';
import { showBatch } from './show.ts';

export const batchesCommands = [listBatches, showBatch, reportBatch, resumeBatch, markRows, cancelBatch, deleteBatch];
