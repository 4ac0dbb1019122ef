import { create } from 'zustand'
import { shorten } from '../ui/format.ts'
import { classes } from '../ui/classes.ts'
import { copyText } from '../ui/copy-button.tsx'
import text from '../ui/text.module.css'
import { showToast } from '../ui/toast.tsx'
import styles from './address.module.css'

type AddressForm = 'friendly' | 'raw'

const storageKey = 'tondesk.addresses'

/** In which form addresses are shown, everywhere. */
export const useAddressForm = create<{ form: AddressForm }>(() => ({
  form: window.localStorage.getItem(storageKey) === 'raw' ? 'raw' : 'friendly',
}))

export function toggleAddressForm(): void {
  const form = useAddressForm.getState().form === 'raw' ? 'friendly' : 'raw'
  window.localStorage.setItem(storageKey, form)
  useAddressForm.setState({ form })
}

/** Shortened in its middle, whole under the pointer; a press copies the whole of it. */
export function Address({
  raw,
  friendly,
  name,
}: {
  /** `0:<64 hex>` */
  raw: string
  /** Absent where only the raw form is known. */
  friendly?: string | undefined
  /** Shown instead, where it has one. */
  name?: string | undefined
}) {
  const form = useAddressForm((state) => state.form)
  const whole = form === 'friendly' && friendly !== undefined ? friendly : raw
  return (
    <button
      type="button"
      className={classes(styles['address'], name !== undefined && styles['named'])}
      title={`${whole}\nClick to copy`}
      onClick={() => void copyAddress(whole)}
    >
      {name ?? shorten(whole)}
      <span className={text['hidden']}>: copy its address</span>
    </button>
  )
}

export async function copyAddress(address: string): Promise<void> {
  if (await copyText(address, 'Address')) {
    showToast({ id: 'address', title: 'Address copied', detail: address })
  }
}
