import { serveTasks } from '../threads/serve-tasks.ts'
import { compactBytes, type PdfMetadata } from './compact-bytes.ts'

export interface CompactionTask {
  pdf: Uint8Array
  facts: PdfMetadata
}

serveTasks<CompactionTask>(async ({ pdf, facts }) => compactBytes(pdf, facts))
