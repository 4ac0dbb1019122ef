import { create } from 'zustand'
import { Button } from '../ui/button.tsx'
import { copyText, showToast } from '../ui/toast.tsx'

const storageKey = 'tondesk.addresses'

/** The form in which all pages show addresses. */
export const useAddressForm = create<{ form: 'friendly' | 'raw' }>(() => ({
  form: window.localStorage.getItem(storageKey) === 'raw' ? 'raw' : 'friendly',
}))

/** Switches the form of addresses; its label names the present form. */
export function AddressFormButton() {
  const isRaw = useAddressForm(({ form }) => form === 'raw')
  const toggle = () => {
    const form = isRaw ? 'friendly' : 'raw'
    window.localStorage.setItem(storageKey, form)
    useAddressForm.setState({ form })
  }
  return (
    <Button kind="quiet" onClick={toggle} title="Switch between friendly and raw addresses">
      {isRaw ? 'Raw addresses' : 'Friendly addresses'}
    </Button>
  )
}

export async function copyAddress(address: string): Promise<void> {
  if (await copyText(address, 'Address')) {
    showToast({ id: 'address', title: 'Address copied', detail: address })
  }
}
