export { describeWorker, isDead, workerName } from '../base/worker.ts';
