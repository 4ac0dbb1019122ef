/** Rules by which deliveries are sent on, what waits, and what was answered. */
export const forwarding = ``
