import { chain } from './0001-chain.ts'
import { webhooks } from './0002-webhooks.ts'
import { invoices } from './0003-invoices.ts'
import { control } from './0004-control.ts'
import { calls } from './0005-calls.ts'

/** In order; a file's position is the version it brings the database to. */
export const migrations: readonly string[] = [chain, webhooks, invoices, control, calls]
