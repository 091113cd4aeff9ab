/**
 * Names of the rendering jobs. There are twice as many as browser pages: a page prints the next document while another is compacted and
 * stored. A slow document blocks only its job and page.
 */
export const renderingJobNames = [
  'render-due-invoices-1',
  'render-due-invoices-2',
  'render-due-invoices-3',
  'render-due-invoices-4',
  'render-due-invoices-5',
  'render-due-invoices-6',
] as const
