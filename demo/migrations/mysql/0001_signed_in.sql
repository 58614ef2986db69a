ALTER TABLE `session` ADD `signedInAt` datetime(3);
