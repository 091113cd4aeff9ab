import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Files that take a minute or more. A checkout without results of an earlier run starts large files first, and one of these last: then other
 * workers wait for it at the end.
 */
const longFiles = [
  'services/orders/test/kill-histories.service.test.ts',
  'services/mail/test/mass-mail.service.test.ts',
  'services/webhooks/test/delivery-kill.service.test.ts',
  'services/webhooks/test/event-kill.service.test.ts',
  'services/webhooks/test/engine-faults.service.test.ts',
  'tools/test/supervisor.service.test.ts',
  'tools/test/restore.service.test.ts',
  'tools/test/commands.service.test.ts',
  'e2e/own-system/renewal-kill.e2e.test.ts',
  'e2e/own-system/restart.e2e.test.ts',
]

const isLong = ({ moduleId }: TestSpecification) => longFiles.some((file) => moduleId.endsWith(`/${file}`))

/** Starts long files first, and then as vitest does. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- Not that of an array.
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
