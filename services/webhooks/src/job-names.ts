/** Name of the job that is woken when a delivery becomes due. */
export const deliveryJobName = 'deliver-due'
