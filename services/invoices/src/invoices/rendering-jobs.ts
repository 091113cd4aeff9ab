/** Name of the job that renders documents, which is woken for new ones. */
export const renderingJobName = 'render-due-invoices'

/**
 * Documents that a process renders at once: twice as many as it has browser pages. A page prints the next document while another is compacted
 * and stored. A slow document blocks only its run and page.
 */
export const renderingRuns = 6
