import type { AccountRef } from '../../../src-preload/contract/chain.ts'
import { shorten } from '../../ui/format.ts'
import { friendlyAddress } from '../friendly-address.ts'
import { IconButton } from '../../ui/button.tsx'
import { classes } from '../../ui/classes.ts'
import { Tag } from '../../ui/tag.tsx'
import { copyAddress, useAddressForm } from '../address.tsx'
import { UntrustedText } from '../body/untrusted-text.tsx'
import { accountHref } from './chain-links.ts'
import { useShownNetwork } from './of-network.tsx'
import styles from './chain.module.css'

/** The address in the form the person has chosen, whole. */
export function useAddressText(account: Pick<AccountRef, 'address' | 'isWallet'>): string {
  const form = useAddressForm((state) => state.form)
  const { testOnly } = useShownNetwork()
  if (form === 'raw') return account.address
  return (
    friendlyAddress(account.address, { bounceable: !account.isWallet, testOnly }) ?? account.address
  )
}

/**
 * An account in passing, as a link to it: the person's own label, else its name, else its address
 * shortened; whole under the pointer. Needs `OfNetwork` around it.
 */
export function AccountLink({
  account,
  canCopy = true,
  href,
  tabIndex,
}: {
  account: AccountRef
  /** Where it leads, if not to the account's page. */
  href?: string | undefined
  /** A button beside it, seen under the pointer and on focus. */
  canCopy?: boolean
  tabIndex?: number | undefined
}) {
  const network = useShownNetwork()
  const whole = useAddressText(account)
  const name = account.label ?? account.name
  return (
    <span className={styles['account']}>
      <a
        href={href ?? accountHref(account.address, network.id)}
        className={classes(styles['link'], name === null && styles['plain'])}
        title={name === null ? whole : `${name}\n${whole}`}
        tabIndex={tabIndex}
      >
        {name === null ? shorten(whole) : <UntrustedText text={name} />}
      </a>
      {account.isScam && (
        <Tag tone="bad" title="The gateway has this account on its list of scams.">
          scam
        </Tag>
      )}
      {canCopy && (
        <span className={styles['copy']}>
          <IconButton
            icon="copy"
            label={`Copy the address of ${name ?? shorten(whole)}`}
            tabIndex={tabIndex}
            onClick={() => void copyAddress(whole)}
          />
        </span>
      )}
    </span>
  )
}
