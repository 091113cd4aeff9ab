/** `npm run generate`: files that derive from contracts and configuration. With `--check` nothing is written; differences fail. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { openApi } from '@quittance/gateway/openapi/openapi'
import { publicOperations } from '@quittance/contracts/registry'
import { environmentExample } from './generated/environment-example.ts'
import { eventsPage } from './generated/events-page.ts'
import { natsConfiguration } from './generated/nats-configuration.ts'
import { serviceSettings } from './service-settings.ts'

const root = join(import.meta.dirname, '../..')

const files: Record<string, string> = {
  'docs/openapi.json': `${JSON.stringify(openApi(publicOperations, 'http://127.0.0.1:8080'), null, 2)}\n`,
  'docs/events.md': eventsPage(),
  '.env.example': environmentExample(serviceSettings),
  'infra/nats.conf': natsConfiguration(),
}

const checking = process.argv.includes('--check')
const stale = Object.entries(files).filter(
  ([path, text]) => !existsSync(join(root, path)) || readFileSync(join(root, path), 'utf8') !== text,
)
for (const [path, text] of checking ? [] : stale) {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  console.log(`wrote ${path}`)
}
if (checking && stale.length > 0) {
  console.error(`Not up to date: ${stale.map(([path]) => path).join(', ')}. Run npm run generate.`)
  process.exit(1)
}
