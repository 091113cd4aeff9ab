import { listSigningKeys as listSigningKeysContract, rotateSigningKeys as rotateSigningKeysContract } from '@quittance/contracts/auth'
import { systemCommand, systemQuery } from '@quittance/runtime/system-handler'
import { readPublicKeys, advanceSigningKeys } from './signing-keys.ts'
import { Conflict } from '@quittance/contracts/errors'
import { config } from '../config.ts'

export const listSigningKeys = systemQuery(
  listSigningKeysContract,
  { reason: 'signing keys belong to no organization' },
  async (_request, { systemSql }) => ({
    keys: (await readPublicKeys(systemSql)).map(({ key }) => key) as never,
  }),
)

/** How long discovery documents and key sets may be cached; a key that signs earlier would be unknown to some caches. */
export const keyCacheSeconds = 300

const young = `select 1 from signing_keys where state = 'next' and created_at > now() - make_interval(secs => :seconds)`

export const rotateSigningKeys = systemCommand(
  rotateSigningKeysContract,
  { reason: 'signing keys belong to no organization' },
  async ({ force }, { systemSql, wake }) => {
    await systemSql('signing-keys.lock', 'lock table signing_keys in share row exclusive mode')
    const tooYoung = await systemSql('signing-keys.young', young, { seconds: keyCacheSeconds })
    if (tooYoung.length > 0 && !force) {
      throw new Conflict(`The next keys are younger than ${keyCacheSeconds} seconds: caches may not know them yet. Wait, or force it.`)
    }
    await advanceSigningKeys(systemSql, config().SECRETS_KEY)
    wake('signing-keys')
    return { keys: (await readPublicKeys(systemSql)).map(({ key, state }) => ({ kid: key.kid, alg: key.alg, state })) as never }
  },
)
