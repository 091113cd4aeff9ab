-- One role and one database per service; nobody opens another's. Passwords for development only.
create role auth login password 'auth';
create database auth owner auth;
revoke all on database auth from public;
create role orders login password 'orders';
create database orders owner orders;
revoke all on database orders from public;
create role invoices login password 'invoices';
create database invoices owner invoices;
revoke all on database invoices from public;
create role webhooks login password 'webhooks';
create database webhooks owner webhooks;
revoke all on database webhooks from public;
