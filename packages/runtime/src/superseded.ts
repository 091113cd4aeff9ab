/** Another transaction came first, unseen until now: this one is repeated from its start, and sees what that one did. */
export class Superseded extends Error {}
