import { runService } from '@quittance/runtime/service'
import { config } from './config.ts'
import { mail } from './service.ts'

// Fails at the start if there is neither an SMTP server nor a local mailbox, instead of at the first mail.
config()
await runService(mail)
