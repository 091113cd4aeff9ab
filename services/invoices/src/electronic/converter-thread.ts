import type { DocumentModel } from '../rendering/document-model.ts'
import { serveTasks } from '../threads/serve-tasks.ts'
import { facturX } from './factur-x.ts'

export interface ConversionTask {
  pdf: Uint8Array
  document: DocumentModel
}

serveTasks<ConversionTask>(({ pdf, document }) => facturX(pdf, document))
