/** Which transactions match a watch. */
import type { WatchRule } from '../../src-preload/contract/watch.ts'
import { formatAmount } from '../../src-preload/domain/amount.ts'
import { failureOf } from '../chain/failure.ts'
import { opcodesIn, readTransaction } from '../chain/history-row.ts'
import { jettonsIn, valueOf } from '../chain/read-trace.ts'
import type { TransactionResponse } from '../gateway/query-responses.ts'
import { formatOpcode } from '../../src-preload/domain/opcode.ts'

/**
 * @param jetton the jetton if the transaction is of a jetton wallet, for which only the rules of that jetton count
 * @returns what matched, for the user; null if nothing did
 */
export function matchOf(
  transaction: TransactionResponse,
  rules: readonly WatchRule[],
  jetton: string | null,
): string | null {
  if (jetton === null && rules.length === 0) {
    const failure = failureOf(transaction)
    return failure === null ? 'a transaction' : `a failed transaction: ${failure}`
  }
  for (const rule of rules) {
    if ((rule.kind === 'jetton' ? rule.jetton : null) !== jetton) continue
    const what = matchRule(transaction, rule)
    if (what !== null) return what
  }
  return null
}

function matchRule(transaction: TransactionResponse, rule: WatchRule): string | null {
  const read = readTransaction(transaction)
  switch (rule.kind) {
    case 'incoming': {
      if (read.incoming === null || isReturned(transaction)) return null
      const units = valueOf(read.incoming.answer)
      return units < BigInt(rule.units) ? null : `received ${formatAmount(units, 9)} TON`
    }
    case 'failure': {
      const failure = failureOf(transaction)
      if (failure !== null) return `a failed transaction: ${failure}`
      return read.incoming?.answer.bounced === true ? 'a message that was returned' : null
    }
    case 'opcode':
      return opcodesIn(read).includes(rule.opcode) ? `opcode ${formatOpcode(rule.opcode)}` : null
    case 'jetton': {
      // A transfer that the wallet rejected changes no balance.
      const isCommitted = transaction.success && !transaction.aborted
      const { incoming } = read
      if (!isCommitted || incoming?.body?.name !== 'jetton_internal_transfer') return null
      const units = jettonsIn(incoming)?.units ?? 0n
      if (units < BigInt(rule.units)) return null
      return `received ${formatAmount(units, rule.decimals)} ${rule.symbol}`
    }
  }
}

/** The value went back to its sender, also where the contract wanted to keep it. */
function isReturned({ bounce_phase: bounce }: TransactionResponse): boolean {
  return bounce === 'TrPhaseBounceOk'
}
