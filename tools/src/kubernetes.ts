/** Renders the overlays of infra/kubernetes and checks them against the types of the Kubernetes API. A step of `npm run check`. */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { render } from './kubernetes/render.ts'
import { toTypeScript } from './kubernetes/to-typescript.ts'
import { resolveArguments, resolveProgram } from './resolve-program.ts'

const root = join(import.meta.dirname, '../..')
const { folder } = parseArgs({ options: { folder: { type: 'string', default: join(root, 'infra/kubernetes') } } }).values

const overlays = readdirSync(join(folder, 'overlays'))
// In node_modules, where the types are resolved and no other tool looks.
const scratch = join(root, 'node_modules', '.cache', 'kubernetes', String(process.pid))
mkdirSync(scratch, { recursive: true })
const files = overlays.map((overlay) => {
  const manifests = render(join(folder, 'overlays', overlay))
  console.log(`${overlay}: ${manifests.length} manifests`)
  const file = join(scratch, `${overlay}.ts`)
  writeFileSync(file, toTypeScript(manifests))
  return file
})
const options = ['--ignoreConfig', '--noEmit', '--strict', '--module', 'preserve', '--moduleResolution', 'bundler', '--types', '', ...files]
const { status, stdout, stderr } = spawnSync(resolveProgram('tsc'), resolveArguments('tsc', options), { encoding: 'utf8' })
rmSync(scratch, { recursive: true })
process.stderr.write(stdout + stderr)
process.exitCode = status === 0 ? 0 : 1
