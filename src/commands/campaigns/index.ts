import { listCampaigns } from './list.ts';

export const campaignsCommands = [listCampaigns];
