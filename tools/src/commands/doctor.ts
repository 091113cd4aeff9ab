import { withoutEmptySettings } from '@quittance/runtime/config'
import type { Finding } from '../doctor/finding.ts'
import { checkMachine } from '../doctor/check-machine.ts'
import { checkPrograms } from '../doctor/check-programs.ts'
import { checkServers } from '../doctor/check-servers.ts'
import { parsePort, readArguments } from '../cli/arguments.ts'
import type { Command } from '../cli/command.ts'

const marks = { ok: '✓', warning: '·', missing: '✗' } as const

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check whether this machine has what the system needs, and show how to install what is missing.',
  help: `Usage: npm run quittance -- doctor [options]

Checks Node, PostgreSQL, NATS, Chromium, fonts, Docker, the port, disk, memory and secrets, and the servers that DATABASE_URL_… and
NATS_URL name. Changes nothing. Exits with 1 when something is missing.

  --port N             port of the API to check (default 8080)
  --data DIR           data folder to check (default .quittance)

Example: npm run quittance -- doctor --port 8080`,
  async run(args) {
    const text = { type: 'string' } as const
    const { port: portText = '8080', data = '.quittance' } = readArguments(args, { port: text, data: text })
    const port = parsePort(portText)
    const environment = withoutEmptySettings(process.env)
    const groups = await Promise.all([
      checkPrograms(environment),
      checkServers(environment),
      checkMachine(environment, { port, dataDir: data }),
    ])
    const findings = groups.flat()
    console.log(findings.map(line).join('\n'))
    if (findings.some(({ state }) => state === 'missing')) process.exitCode = 1
  },
}

function line({ what, state, message, advice }: Finding): string {
  return `${marks[state]} ${what}: ${message}${advice ? `\n    ${advice}` : ''}`
}
