/** Name of the job that is woken when a delivery becomes due. */
export const deliveryJobName = 'deliver-due'

/** Name of the job that sends missed events again. */
export const recoveryJobName = 'recover-missed'
