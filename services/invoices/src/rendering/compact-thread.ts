import { answerTasks } from '../threads/answer-tasks.ts'
import { compactBytes, type DocumentFacts } from './compact-bytes.ts'

export interface CompactionTask {
  pdf: Uint8Array
  facts: DocumentFacts
}

answerTasks<CompactionTask>(({ pdf, facts }) => compactBytes(pdf, facts))
