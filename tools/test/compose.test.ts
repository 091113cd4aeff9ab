import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { expect, test } from 'vitest'
import { serviceSettings } from '../src/service-settings.ts'

const file = readFileSync(join(import.meta.dirname, '../../docker-compose.yml'), 'utf8')
const { services } = parse(file, { merge: true }) as { services: Record<string, { environment: Record<string, string | null> }> }

/** Decided by the image and the networks of compose. */
const fixed = ['HOST', 'PORT', 'HEALTH_HOST', 'HEALTH_PORT', 'PUPPETEER_EXECUTABLE_PATH', 'START_LINKS_FILE', 'MIGRATION_DATABASE_URL']
/** Two services need different values of it, which an override file can set. */
const ambiguous = ['MAX_IN_FLIGHT']

test.each(Object.entries(serviceSettings.services))('compose passes every setting of %s', (name, { shape }) => {
  const passed = Object.keys(services[name]?.environment ?? {})
  // A page server is on no bus and reads none of the settings for it.
  const common = passed.includes('BUS_KEY') ? Object.keys(serviceSettings.every.shape) : ['LOG_LEVEL']
  const unused = passed.includes('DATABASE_URL') ? [] : ['DATABASE_URL']
  const expected = [...Object.keys(shape), ...common].filter((setting) => ![...fixed, ...ambiguous, ...unused].includes(setting))
  expect(expected.filter((setting) => !passed.includes(setting))).toEqual([])
})
