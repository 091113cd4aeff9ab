/**
 * `npm run generate`: writes the files that derive from contracts and configuration. With `--check` it writes nothing and fails on
 * differences.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildOpenApi } from '@quittance/gateway/openapi/build-openapi'
import { publicEvents, publicOperations } from '@quittance/contracts/registry'
import { serviceNames } from '@quittance/contracts/services'
import { environmentExample } from './generated/environment-example.ts'
import { eventsPage } from './generated/events-page.ts'
import { natsConfiguration } from './generated/nats-configuration.ts'
import { fillSections } from './generated/sections.ts'
import { eventsTable, operationsTable } from './generated/service-tables.ts'
import { systemAccessTable } from './generated/system-access.ts'
import { unscopedViewsTable } from './generated/unscoped-views.ts'
import { serviceSettings } from './service-settings.ts'

const root = join(import.meta.dirname, '../..')

/** A document whose generated sections are up to date. */
function withSections(file: string, sections: Record<string, string>): Record<string, string> {
  return { [file]: fillSections(file, readFileSync(join(root, file), 'utf8'), sections) }
}

const files: Record<string, string> = {
  'docs/openapi.json': `${JSON.stringify(buildOpenApi({ operations: publicOperations, events: publicEvents }, 'http://127.0.0.1:8080'), null, 2)}\n`,
  'docs/events.md': eventsPage(),
  '.env.example': environmentExample(serviceSettings),
  'infra/nats.conf': natsConfiguration(),
  'infra/nats-transitional.conf': natsConfiguration({ transitional: true }),
  ...withSections('docs/tenant-isolation.md', {
    'unscoped-views': await unscopedViewsTable(root),
    'system-access': systemAccessTable(root),
  }),
}

for (const service of serviceNames) {
  const tables = Object.entries({ operations: await operationsTable(root, service), events: eventsTable(service) })
  const sections = Object.fromEntries(tables.flatMap(([name, table]) => (table === null ? [] : [[name, table]])))
  Object.assign(files, withSections(`services/${service}/README.md`, sections))
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
