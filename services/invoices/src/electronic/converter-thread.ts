import type { PrintedDocument } from '../rendering/printed-document.ts'
import { answerTasks } from '../threads/answer-tasks.ts'
import { facturX } from './factur-x.ts'

export interface ConversionTask {
  pdf: Uint8Array
  document: PrintedDocument
}

answerTasks<ConversionTask>(({ pdf, document }) => facturX(pdf, document))
