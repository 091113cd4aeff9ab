/** Process of `reloadNatsConfig`: a new process imports the contracts from disk. */
import { writeNatsConfig, type NatsConfigFileOptions } from './nats-config-file.ts'

writeNatsConfig(JSON.parse(process.argv[2] ?? '') as NatsConfigFileOptions)
