/** What a transaction means to the capture that told of it. Pure. */
import type { HistoryRow, TransactionAnswer } from '../../../src-preload/contract/chain.ts'
import type { MeaningFacts } from '../../../src-preload/contract/capture.ts'
import type { MeaningState } from '../../../src-preload/domain/capture-words.ts'
import { formatAmount } from '../../../src-preload/domain/amount.ts'

export const noFacts: MeaningFacts = {
  state: 'none',
  amount: null,
  sender: null,
  recipient: null,
  comment: null,
  opcode: null,
  exitCode: null,
  success: null,
  invoice: null,
}

export function emptyFacts(state: MeaningState): MeaningFacts {
  return { ...noFacts, state }
}

/** @param line the transaction as a line of its account's history: what came or went, and from whom */
export function factsOf(
  { transaction }: TransactionAnswer,
  line: HistoryRow,
  invoice: string | null,
): MeaningFacts {
  const account = transaction.account.address
  const peer = line.peer?.address ?? null
  const { change } = line
  const isOut = change === null ? line.direction === 'out' : change.units.startsWith('-')
  const { compute, action } = transaction.phases
  const isComputed = compute?.success !== false
  return {
    state: 'known',
    amount: change && {
      units: change.units.replace(/^-/, ''),
      asset: change.asset,
      direction: isOut ? 'out' : 'in',
    },
    sender: line.direction === 'out' ? account : peer,
    recipient: line.direction === 'out' ? peer : account,
    comment: line.comment,
    opcode: transaction.inMessage?.opcode ?? null,
    // Of the phase that failed, else of the computation.
    exitCode:
      isComputed && action?.success === false ? action.resultCode : (compute?.exitCode ?? null),
    success: line.success,
    invoice,
  }
}

/** Enough for any sentence; what is beyond of a long comment, the comment itself tells. */
const longestExplanation = 1000

/** The sentence on a transaction's trace, to be searched: accounts stand in it by their addresses. */
export function explanationOf({ trace }: TransactionAnswer): string | null {
  const text = (trace?.sentence ?? []).map((part) => {
    switch (part.kind) {
      case 'account':
        return part.account.address
      case 'amount':
        return `${formatAmount(BigInt(part.units), part.asset.decimals)} ${part.asset.symbol}`
      case 'words':
      case 'quote':
        return part.text
    }
  })
  return text.length === 0 ? null : text.join('').slice(0, longestExplanation)
}

/**
 * The trace's transactions that came of this one, itself first: what they pay, it pays.
 * Those that are only emulated have not happened.
 */
export function causedBy({ transaction, trace }: TransactionAnswer) {
  const own = { account: transaction.account.address, lt: transaction.lt }
  const nodes = trace?.nodes ?? []
  const start = nodes.findIndex(({ hash }) => hash === transaction.hash)
  const caused = new Set([start])
  const found = [own]
  for (const [index, node] of nodes.entries()) {
    if (node.parent === null || !caused.has(node.parent)) continue
    caused.add(index)
    if (node.hash !== null) found.push({ account: node.account.address, lt: node.lt })
  }
  return found
}

/** It stands in a trace that a gateway has only emulated: it may never happen. */
export function isEmulated({ transaction, trace }: TransactionAnswer): boolean {
  return trace !== null && !trace.nodes.some(({ hash }) => hash === transaction.hash)
}
