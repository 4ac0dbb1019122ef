/** Decides which transactions match a watch. */
import type { EnteredRule, WatchRule } from '../../src-preload/contract/watch.ts'
import { formatAmount, tonDecimals } from '../../src-preload/domain/amount.ts'
import { failureOf } from '../chain/failure.ts'
import { opcodesIn, readTransaction } from '../chain/history-row.ts'
import { jettonsIn, valueOf } from '../chain/read-trace.ts'
import type { TransactionResponse } from '../gateway/query-responses.ts'
import { badOpcode, formatOpcode, parseOpcode } from '../../src-preload/domain/opcode.ts'
import type { NetworkId } from '../../src-preload/contract/network.ts'
import { AppError, bridgeCodes, messageOf, watchCodes } from '../../src-preload/domain/app-error.ts'
import { requireUnits } from '../../src-preload/domain/written-amount.ts'
import type { AppContext } from '../app/context.ts'
import { isNotFound } from '../chain/access.ts'
import { requireAddress } from '../chain/addresses.ts'
import { flattenStack, toArgument } from '../chain/method-stack.ts'

/**
 * @param jetton the jetton of a jetton wallet's transaction, for which only the rules of that jetton count
 * @returns a description of the match for the user; null if no rule matched
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

/** True if the value bounced, even if the contract wanted to keep it. */
const isReturned = ({ bounce_phase: bounce }: TransactionResponse): boolean =>
  bounce === 'TrPhaseBounceOk'

/** Parses a rule that the user entered. @throws AppError with the position of the rule */
export async function readRule(
  access: AppContext['access'],
  network: NetworkId,
  owner: string,
  rule: EnteredRule,
  position: number,
): Promise<WatchRule> {
  const refuse = (why: string) => {
    const message = `Rule ${position + 1}: ${why}`
    return new AppError(bridgeCodes.invalidInput, message, {
      data: [{ path: `rules.${position}`, message }],
    })
  }
  const unitsOf = (text: string, decimals: number) => {
    let units: bigint
    try {
      units = requireUnits(text, decimals)
    } catch (error) {
      throw refuse(`${messageOf(error)}.`)
    }
    if (units < 0n) throw refuse('enter an amount that is not negative.')
    return units.toString()
  }
  switch (rule.kind) {
    case 'incoming':
      return { kind: rule.kind, units: unitsOf(rule.amount, tonDecimals) }
    case 'failure':
      return rule
    case 'opcode': {
      const opcode = parseOpcode(rule.opcode)
      if (opcode === null) throw refuse(badOpcode)
      return { kind: rule.kind, opcode }
    }
    case 'jetton': {
      const jetton = requireAddress(rule.jetton, access.info(network).testOnly)
      const { wallet, symbol, decimals } = await findWallet(access, network, owner, jetton)
      const units = unitsOf(rule.amount, decimals)
      return { kind: rule.kind, jetton, wallet, units, symbol, decimals }
    }
  }
}

/**
 * Finds the account's jetton wallet. If the wallet does not exist yet, the jetton itself computes
 * its address.
 */
async function findWallet(
  access: AppContext['access'],
  network: NetworkId,
  owner: string,
  jetton: string,
) {
  const query = access.query(network)
  try {
    const found = await query.accountJetton(owner, jetton)
    const { symbol, decimals } = found.jetton
    return { wallet: found.wallet_address.address, symbol, decimals }
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
  const argument = toArgument({ kind: 'address', value: owner }, 1)
  const [{ metadata }, { stack }] = await Promise.all([
    query.jetton(jetton),
    query.runMethod(jetton, 'get_wallet_address', [argument]),
  ])
  const [wallet] = flattenStack(stack).items
  if (wallet?.kind === 'address') {
    return { wallet: wallet.value, symbol: metadata.symbol, decimals: metadata.decimals }
  }
  throw new AppError(
    watchCodes.badRule,
    'The jetton does not report the address of the account’s wallet. Check the address of the jetton.',
  )
}
