import type { Finding } from '../doctor/finding.ts'
import { lookAtMachine } from '../doctor/look-at-machine.ts'
import { lookAtPrograms } from '../doctor/look-at-programs.ts'
import { lookAtServers } from '../doctor/look-at-servers.ts'
import { readArguments } from './arguments.ts'
import type { Command } from './command.ts'

const marks = { ok: '✓', 'worth knowing': '·', missing: '✗' } as const

export const doctor: Command = {
  name: 'doctor',
  summary: 'Look whether this machine has what the system needs, and say how to get what is missing.',
  help: `Usage: npm run quittance -- doctor [options]

Looks at Node, PostgreSQL, NATS, Chromium, fonts, Docker, the port, disk, memory and secrets, and at the servers that DATABASE_URL_… and
NATS_URL name. Changes nothing. Ends with 1 when something is missing.

  --port N             port that the API shall have (default 8080)
  --data DIR           folder that shall be kept (default .quittance)

Example: npm run quittance -- doctor --port 8080`,
  async run(args) {
    const text = { type: 'string' } as const
    const { port = '8080', data = '.quittance' } = readArguments(args, { port: text, data: text })
    const groups = await Promise.all([
      lookAtPrograms(process.env),
      lookAtServers(process.env),
      lookAtMachine(process.env, { port: Number(port), dataDir: data }),
    ])
    const findings = groups.flat()
    console.log(findings.map(line).join('\n'))
    if (findings.some(({ state }) => state === 'missing')) process.exitCode = 1
  },
}

function line({ what, state, says, advice }: Finding): string {
  return `${marks[state]} ${what}: ${says}${advice ? `\n    ${advice}` : ''}`
}
