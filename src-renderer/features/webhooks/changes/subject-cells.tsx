import type { ChangeItem } from '../../../../src-preload/contract/subscription.ts'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { Cell } from '../../../components/list/window-grid.tsx'

/** What is subscribed, and its label: two cells. What is no account stands as it was given. */
export function SubjectCells({
  what,
  subject,
  label,
}: Pick<ChangeItem, 'what' | 'subject' | 'label'>) {
  const isAccount = what === 'account' && /^-?\d+:[0-9a-f]{64}$/.test(subject)
  return (
    <>
      <Cell
        className={isAccount ? undefined : text['mono']}
        title={isAccount ? undefined : subject}
      >
        {isAccount ? (
          <AccountLink
            account={{ address: subject, name: null, label: null, isScam: false, isWallet: false }}
            tabIndex={-1}
          />
        ) : (
          <UntrustedText text={subject} />
        )}
      </Cell>
      <Cell title={label ?? undefined}>{label !== null && <UntrustedText text={label} />}</Cell>
    </>
  )
}
