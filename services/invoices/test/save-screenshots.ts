import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const folder = join(import.meta.dirname, '../artefacts')

/** Saves a document for visual inspection, and its pages as images if poppler is installed. */
export async function saveScreenshots(name: string, pdf: Uint8Array): Promise<void> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${name}.pdf`)
  await writeFile(file, pdf)
  await promisify(execFile)('pdftoppm', ['-r', '80', '-png', file, join(folder, name)]).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
}
