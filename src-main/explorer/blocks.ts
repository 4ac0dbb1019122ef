import type { Handlers } from '../../src-preload/contract/routes.ts'
import { AppError } from '../../src-preload/domain/app-error.ts'
import { chainCodes } from '../../src-preload/domain/error-codes.ts'
import { createNaming } from './addresses.ts'
import { type ExplorerContext, isNotFound } from './chain-access.ts'
import { failureOf } from './failure.ts'

/** The gateway's form; parentheses, spaces and the hashes of the long form are optional. */
const idForm =
  /^\(?\s*(-?\d{1,10})\s*,\s*(?:0x)?([0-9a-f]{1,16})\s*,\s*(\d{1,10})\s*(?:,[^)]*)?\)?$/i

export function createBlocks({ access, labelsOf }: ExplorerContext): Pick<Handlers, 'block.get'> {
  return {
    async 'block.get'({ network, id: text }) {
      const id = readBlockId(text)
      const query = access.query(network)
      const asking = { signal: access.interest(network) }
      try {
        const [block, rows] = await Promise.all([
          query.block(id, asking),
          query.blockTransactions(id, asking),
        ])
        const transactions = rows.flatMap((row) => ('value' in row ? [row.value] : []))
        const accounts = transactions.map(({ account }) => account)
        const name = createNaming(accounts, [], (addresses) => labelsOf(network, addresses))
        return {
          network,
          id: `(${block.workchain_id},${block.shard},${block.seqno})`,
          at: block.gen_utime * 1000,
          seqno: block.seqno,
          workchain: block.workchain_id,
          shard: block.shard,
          rootHash: block.root_hash,
          transactionCount: block.tx_quantity ?? rows.length,
          previous: block.prev_refs,
          transactions: transactions.map((transaction) => {
            const { hash, lt, account, total_fees: fees } = transaction
            const failure = failureOf(transaction)
            return { hash, lt, account: name(account), success: failure === null, failure, fees }
          }),
          unread: rows.flatMap((row) => ('unread' in row ? [row.unread.why] : [])),
        }
      } catch (error) {
        if (!isNotFound(error)) throw error
        throw notFound(`The gateway has no block ${id} of this network.`)
      }
    },
  }
}

function readBlockId(text: string): string {
  const match = idForm.exec(text.trim())
  if (match === null) {
    throw notFound('Enter a block as (workchain,shard,number), such as (-1,8000000000000000,1).')
  }
  const [, workchain = '', shard = '', seqno = ''] = match
  return `(${workchain},${shard.toLowerCase()},${seqno})`
}

function notFound(message: string): AppError {
  return new AppError(chainCodes.notFound, message)
}
