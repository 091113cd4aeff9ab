/** Names of the jobs that render. One per page of the browser, so a document that takes long holds up only its own lane. */
export const renderingLanes = ['render-due-invoices-1', 'render-due-invoices-2'] as const
