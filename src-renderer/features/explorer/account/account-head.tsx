import type { AccountView } from '../../../../src-preload/contract/chain.ts'
import { shorten } from '../../../ui/format.ts'
import { IconButton } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import pane from '../../../ui/pane.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { useOpener } from '../../../ui/use-opener.ts'
import { Amount } from '../../../components/chain/amount.tsx'
import { useAddressText } from '../../../components/chain/account-link.tsx'
import { LabelEditor } from '../../../components/chain/label-editor.tsx'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { ExplorerLink } from '../explorer-link.tsx'
import styles from './account.module.css'

const statusTones = { active: 'ok', uninit: 'warn', nonexist: 'plain', frozen: 'bad' } as const
const statusWhy = {
  active: 'It has code and data.',
  uninit: 'It holds a balance, but no code yet.',
  nonexist: 'Nothing is on the chain under this address.',
  frozen: 'Its rent was not paid: it must be unfrozen first.',
} as const

/** Who it is, how it stands, and what to mind about it. */
export function AccountHead({ account: view }: { account: AccountView }) {
  const { account, status } = view
  const { isOpen: editing, setOpen: setEditing, button } = useOpener()
  const { explorer } = useShownNetwork()
  const whole = useAddressText(account)
  const name = account.label ?? account.name
  return (
    <>
      <div className={pane['head']}>
        <h2 className={classes(pane['title'], styles['name'])} title={whole}>
          {name === null ? (
            <span className={text['mono']}>{shorten(whole, 10, 10)}</span>
          ) : (
            <UntrustedText text={name} />
          )}
        </h2>
        <IconButton
          ref={button}
          icon="note"
          label={account.label === null ? 'Give it a label' : 'Change its label'}
          aria-expanded={editing}
          onClick={() => setEditing(!editing)}
        />
        <Tag tone={statusTones[status]} title={statusWhy[status]}>
          {status}
        </Tag>
        {view.walletKind !== null && <Tag>{view.walletKind}</Tag>}
        {account.isScam && (
          <Tag tone="bad" title="The gateway has this account on its list of scams.">
            scam
          </Tag>
        )}
        {view.isSuspended && (
          <Tag tone="bad" title="The network does not let it send anything.">
            suspended
          </Tag>
        )}
        {view.memoRequired && (
          <Tag tone="warn" title="What is sent to it without a comment may be lost.">
            comment required
          </Tag>
        )}
        <span className={styles['balance']}>
          <Amount units={view.balance} />
        </span>
        <span className={styles['end']}>
          <CopyButton text={whole} what="Address" />
          <ExplorerLink template={explorer?.address} values={{ address: whole }} />
        </span>
      </div>
      {editing && (
        <LabelEditor
          network={view.network}
          account={account}
          note={view.note}
          onDone={() => setEditing(false)}
        />
      )}
    </>
  )
}
