import { shorten } from '../../../ui/format.ts'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { useAddressText } from '../../../components/chain/account-link.tsx'
import text from '../../../ui/text.module.css'

/** An account in passing: the person's own label, else its address shortened; whole under the pointer. */
export function AccountName({ account, label }: { account: string; label: string | null }) {
  const whole = useAddressText({ address: account, isWallet: false })
  if (label === null) {
    return (
      <span className={text['mono']} title={whole}>
        {shorten(whole)}
      </span>
    )
  }
  return (
    <span title={`${label}\n${whole}`}>
      <UntrustedText text={label} />
    </span>
  )
}
