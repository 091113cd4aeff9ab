import { rotateSigningKeys as contract } from '@quittance/contracts/auth'
import { Conflict } from '@quittance/contracts/errors'
import { command } from '@quittance/runtime/handler'
import { config } from '../config.ts'
import { advanceSigningKeys, readPublicKeys } from './signing-keys.ts'

/** Discovery documents and key sets may be cached this long; a key that signs sooner would not be known everywhere. */
export const keysCachedSeconds = 300

const young = `select 1 from signing_keys where state = 'next' and created_at > now() - make_interval(secs => :seconds)`

export const rotateSigningKeys = command(contract, async ({ force }, { rows, wake }) => {
  await rows('signing-keys.lock', 'lock table signing_keys in share row exclusive mode')
  const tooYoung = await rows('signing-keys.young', young, { seconds: keysCachedSeconds })
  if (tooYoung.length > 0 && !force) {
    throw new Conflict(`The next keys are younger than ${keysCachedSeconds} seconds: caches may not know them yet. Wait, or force it.`)
  }
  await advanceSigningKeys(rows, config().SECRETS_KEY)
  wake('signing-keys')
  return { keys: (await readPublicKeys(rows)).map(({ key, state }) => ({ kid: key.kid, alg: key.alg, state })) as never }
})
