/**
 * Shows an account in the same way on every page: the user's label, else its known name, else one
 * form of its address.
 */
import { PreviewCard } from '@base-ui/react/preview-card'
import { useEffect } from 'react'
import type { AccountRef } from '../../../src-preload/contract/chain/references.ts'
import type { Network, NetworkId } from '../../../src-preload/contract/network.ts'
import { reportAccount, useAccountLabels, useLabelsOf } from '../../app/account-labels.ts'
import { peek, useData } from '../../app/bridge.ts'
import { IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { shorten } from '../../ui/format.ts'
import { Tag, Text, textClasses } from '../../ui/layout.tsx'
import { copyAddress, useAddressForm } from '../address-form.tsx'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { friendlyAddress } from '../friendly-address.ts'
import { accountCard } from './account-card.tsx'
import { accountHref } from './chain-links.ts'
import styles from './chain.module.css'
import { useShownNetwork } from '../network-tag.tsx'

/** An account as the page has it, with at least its raw address. */
type Account = Pick<AccountRef, 'address'> & Partial<AccountRef>

const noNetworks: readonly NetworkId[] = []

type Shown = { name: string | null; address: string; isWallet: boolean }

/**
 * Returns how an account is displayed. A label that changed after the account was loaded is already
 * the new one.
 * @param network null if it is unknown: the address is then in its raw form
 */
function showAccount(account: Account, network: Pick<Network, 'id' | 'testOnly'> | null): Shown {
  const { address, name = null } = account
  const { books, reported } = useAccountLabels.getState()
  const known = reported[network?.id ?? '']?.get(address)
  const book = books[network?.id ?? '']
  const label = book === undefined ? account.label : book.get(address)
  const isWallet = account.isWallet === true || known?.isWallet === true
  const isRaw = useAddressForm.getState().form === 'raw' || network === null
  const friendly = isRaw
    ? null
    : friendlyAddress(address, { bounceable: !isWallet, testOnly: network.testOnly })
  return { name: label ?? name ?? known?.name ?? null, address: friendly ?? address, isWallet }
}

function useAccount(account: Account, network: Pick<Network, 'id' | 'testOnly'> | null): Shown {
  const { address, isWallet = false, name = null } = account
  const id = network?.id ?? ''
  useLabelsOf(network === null ? noNetworks : [id])
  useAccountLabels(({ books }) => (books[id] === undefined ? null : (books[id].get(address) ?? '')))
  useAccountLabels(({ reported }) => reported[id]?.get(address))
  useAddressForm(({ form }) => form)
  useEffect(() => {
    if (id !== '') reportAccount(id, { address, name, isWallet })
  }, [id, address, name, isWallet])
  return showAccount(account, network)
}

/** Names accounts in texts as `AccountLink` does, but with the whole address. */
export function useAccountNames(): (account: Account) => string {
  const { id } = useShownNetwork()
  useLabelsOf([id])
  useAccountLabels(({ books }) => books[id])
  useAccountLabels(({ reported }) => reported[id])
  useAddressForm(({ form }) => form)
  return (account) => nameAccount(id, account)
}

/** Names an account in a text outside components. */
export function nameAccount(id: NetworkId, account: Account, format = (whole: string) => whole) {
  const network = peek('network.list')?.networks.find((each) => each.id === id)
  const { name, address } = showAccount(account, network ?? { id, testOnly: false })
  return name ?? format(network === undefined ? account.address : address)
}

/** Returns the whole address in the form that the user has chosen. */
export function useAddressText(account: Pick<AccountRef, 'address' | 'isWallet'>): string {
  return useAccount(account, useShownNetwork()).address
}

/** Returns the name of an account for a heading or a row; null without an account. */
export function useAccountName({
  network: id,
  account,
}: {
  readonly network: NetworkId | null
  readonly account: string | null
}): string | null {
  const network = useData('network.list').data?.networks.find((each) => each.id === id) ?? null
  const { name, address } = useAccount({ address: account ?? '' }, network)
  return account === null ? null : (name ?? shorten(address))
}

/** Shows an account as `AccountLink` does, without a link. */
export function AccountName({
  account,
  network,
}: {
  account: Account
  /** Set only outside `OfNetwork`. */
  network?: Network
}) {
  const { name, address } = useAccount(account, useShownNetwork(network))
  return (
    <Text mono={name === null} title={name === null ? address : `${name}\n${address}`}>
      {name === null ? shorten(address) : <UntrustedText text={name} />}
    </Text>
  )
}

/** Shows the label or known name of an account beside a column of addresses; nothing if it has neither. */
export function AccountLabel({ account }: { account: Account }) {
  const { name } = useAccount(account, useShownNetwork())
  if (name === null) return null
  return (
    <span title={name}>
      <UntrustedText text={name} />
    </span>
  )
}

/** Links to an account. A card under the pointer shows all forms of the address, and a button for its label. */
export function AccountLink({
  account,
  canCopy = true,
  href,
  tabIndex,
  show = 'name',
  network: given,
}: {
  account: Account
  /** The link's address, if it does not lead to the account's page. */
  href?: string | undefined
  /** True for a button beside the link, which is visible under the pointer and on focus. */
  canCopy?: boolean
  tabIndex?: number | undefined
  /** `address` is for a column beside a column of names. */
  show?: 'name' | 'address'
  /** Set only outside `OfNetwork`. */
  network?: Network
}) {
  const network = useShownNetwork(given)
  const known = useAccount(account, network)
  const { address, isWallet } = known
  const name = show === 'name' ? known.name : null
  return (
    <span className={styles['account']}>
      <PreviewCard.Trigger
        handle={accountCard}
        payload={{ network, address: account.address, name: known.name, isWallet }}
        href={href ?? accountHref(account.address, network.id)}
        className={classes(
          styles['link'],
          name === null && styles['plain'],
          textClasses({ mono: name === null, over: 'cut' }),
        )}
        tabIndex={tabIndex}
      >
        {name === null ? shorten(address) : <UntrustedText text={name} />}
      </PreviewCard.Trigger>
      {account.isScam === true && (
        <Tag tone="bad" title="The gateway lists this account as a scam.">
          scam
        </Tag>
      )}
      {canCopy && (
        <span className={styles['copy']}>
          <IconButton
            icon="copy"
            label={`Copy the address of ${name ?? shorten(address)}`}
            tabIndex={tabIndex}
            onClick={() => void copyAddress(address)}
          />
        </span>
      )}
    </span>
  )
}
