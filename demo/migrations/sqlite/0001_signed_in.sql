ALTER TABLE `session` ADD `signedInAt` integer;
