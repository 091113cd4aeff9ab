/**
 * Names of the jobs that render. Twice as many as the browser has pages: a page prints the next document while one is compacted and stored.
 * What takes long holds up its own lane and page.
 */
export const renderingLanes = ['render-due-invoices-1', 'render-due-invoices-2', 'render-due-invoices-3', 'render-due-invoices-4'] as const
