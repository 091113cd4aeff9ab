/** Name of the job, for those it calls itself and who wake it. */
export const renewalJob = 'renew-due-subscriptions'
