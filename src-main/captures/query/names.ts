import type { NetworkId } from '../../../src-preload/contract/network.ts'
import type { QueryCompletion } from '../../../src-preload/contract/capture-query.ts'
import type { AccountNames } from '../../explorer/store/chain.ts'
import type { Labels } from '../../explorer/store/labels.ts'
import type { Choices } from './completion.ts'
import type { Names } from './values/read-value.ts'
import { hasPhrase, wordLine, wordsOf } from './words.ts'

export type NamesDeps = {
  readonly labels: Pick<Labels, 'list'>
  /** What gateways call accounts. */
  readonly accountNames: Pick<AccountNames, 'like'>
  readonly networks: () => readonly { readonly id: NetworkId; readonly name: string }[]
  readonly webhookTokens: () => readonly { readonly id: string; readonly label: string }[]
}

const maxLabels = 20
/** A label may be given to many addresses; a query asks for these at once. */
const maxOfLabel = 50
/** Those that hold it in their names or notes, among which it is looked for. */
const maxLike = 2000
/** Shorter texts are the beginning of too many names. */
const shortestName = 2

/** What a person has given names to: for reading queries, and for completing them. */
export function createNames({ labels, accountNames, networks, webhookTokens }: NamesDeps) {
  const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

  function labelled(part: string, limit: number) {
    return networks().flatMap(({ id }) => labels.list(id, { part }, { offset: 0, limit }).labels)
  }

  /** With this text in their names. */
  const like = (text: string) => [...labelled(text, maxLike), ...accountNames.like(text, maxLike)]
  const addressesOf = (found: readonly { readonly address: string }[]) =>
    [...new Set(found.map(({ address }) => address))].slice(0, maxOfLabel)

  const names: Names = {
    addresses: (label) => addressesOf(like(label).filter(({ name }) => same(name, label))),
    addressesLike(text) {
      const words = wordsOf(text)
      if (words.join('').length < shortestName) return []
      const found = like(text).map((each) => ({ ...each, line: wordLine(each.name) }))
      const whole = found.filter(({ line }) => hasPhrase(line, words, false))
      return addressesOf(
        whole.length > 0 ? whole : found.filter(({ line }) => hasPhrase(line, words, true)),
      )
    },
    networks: (wanted) =>
      networks()
        .filter(({ name }) => same(name, wanted))
        .map(({ id }) => id),
    webhooks: (wanted) =>
      webhookTokens()
        .filter(({ id, label }) => same(label, wanted) || id === wanted)
        .map(({ id }) => id),
  }

  const choices: Pick<Choices, 'labels' | 'networks' | 'webhooks'> = {
    labels: (part) =>
      labelled(part, maxLabels).map(({ name, address }): QueryCompletion => ({
        text: name,
        hint: `${address.slice(0, 8)}…${address.slice(-4)}`,
      })),
    networks: () =>
      networks()
        .filter(({ id }) => id.startsWith('custom-'))
        .map(({ id, name }) => ({ text: id, hint: name })),
    webhooks: () => webhookTokens().map(({ label }) => ({ text: label, hint: 'webhook' })),
  }
  return { names, choices }
}
