import { create } from 'zustand'
import { copyText, showToast } from '../ui/toast.tsx'

const storageKey = 'tondesk.addresses'

/** The form in which addresses are shown on all pages. */
export const useAddressForm = create<{ form: 'friendly' | 'raw' }>(() => ({
  form: window.localStorage.getItem(storageKey) === 'raw' ? 'raw' : 'friendly',
}))

export function toggleAddressForm(): void {
  const form = useAddressForm.getState().form === 'raw' ? 'friendly' : 'raw'
  window.localStorage.setItem(storageKey, form)
  useAddressForm.setState({ form })
}

export async function copyAddress(address: string): Promise<void> {
  if (await copyText(address, 'Address')) {
    showToast({ id: 'address', title: 'Address copied', detail: address })
  }
}
